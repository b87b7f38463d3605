-- foldName() of the contracts, for searches inside rows and for the keys below. Not for keys that the product
-- compares with its own: the Unicode of the server may be older. What each line does is told there.
create function platform.fold_characters(given text) returns text
  language sql immutable strict parallel safe
  return normalize(
    translate(
      array_to_string(
        array(
          select lower(upper(lower(part collate "und-x-icu") collate "und-x-icu") collate "und-x-icu")
          from unnest(string_to_array(given, 'ı')) with ordinality as pieces (part, at) order by at
        ),
        'ı'
      ),
      'ςꭰꭱꭲꭳꭴꭵꭶꭷꭸꭹꭺꭻꭼꭽꭾꭿꮀꮁꮂꮃꮄꮅꮆꮇꮈꮉꮊꮋꮌꮍꮎꮏꮐꮑꮒꮓꮔꮕꮖꮗꮘꮙꮚꮛꮜꮝꮞꮟꮠꮡꮢꮣꮤꮥꮦꮧꮨꮩꮪꮫꮬꮭꮮꮯꮰꮱꮲꮳꮴꮵꮶꮷꮸꮹꮺꮻꮼꮽꮾꮿᏸᏹᏺᏻᏼᏽ',
      'σᎠᎡᎢᎣᎤᎥᎦᎧᎨᎩᎪᎫᎬᎭᎮᎯᎰᎱᎲᎳᎴᎵᎶᎷᎸᎹᎺᎻᎼᎽᎾᎿᏀᏁᏂᏃᏄᏅᏆᏇᏈᏉᏊᏋᏌᏍᏎᏏᏐᏑᏒᏓᏔᏕᏖᏗᏘᏙᏚᏛᏜᏝᏞᏟᏠᏡᏢᏣᏤᏥᏦᏧᏨᏩᏪᏫᏬᏭᏮᏯᏰᏱᏲᏳᏴᏵ'
    ),
    nfkc
  );

create function platform.fold_name(given text) returns text
  language sql immutable strict parallel safe
  return platform.fold_characters(platform.fold_characters(normalize(given, nfd)));

select set_config('app.system', 'on', true);

-- Two columns of a board that were two names and now are one: the later one is told apart by a piece of its id.
with keyed as (
  select brand_id, id, row_number() over (
    partition by brand_id, board_id, btrim(platform.fold_name(name)) order by created_at, id) as place
  from boards.columns
)
update boards.columns c set name = left(c.name, 80) || ' (' || left(c.id::text, 8) || ')'
from keyed k where k.brand_id = c.brand_id and k.id = c.id and k.place > 1;

-- By way of a key that nothing else has, since a new key may be the old one of a neighbour.
update boards.columns set name_key = id::text where name_key <> btrim(platform.fold_name(name));
update boards.columns set name_key = btrim(platform.fold_name(name)) where name_key = id::text;
