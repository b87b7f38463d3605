create schema mailboxes;

-- Where the mail of a person goes, whatever its address is at the time. A mailbox on another domain is kept
-- by somebody else, and has no name here.
create table mailboxes.mailboxes (
  person_id        int         not null,
  external_address text,
  created_at       timestamptz not null default platform.now(),
  constraint mailboxes_pkey primary key (person_id),
  constraint mailboxes_person_fkey foreign key (person_id) references identity.people (id) on delete cascade
);

-- Every name that cannot be taken by just anybody, whatever the reason, so that one key keeps them apart. A
-- name without dates is the current one of its person. It then forwards for 30 days, and for 335 more only
-- its former owner may have it. Which of these it is follows from the clock alone.
create table mailboxes.names (
  name              text        not null,
  person_id         int         not null,
  forwards_until    timestamptz,
  quarantined_until timestamptz,
  claimed_at        timestamptz not null default platform.now(),
  constraint names_pkey primary key (name),
  constraint names_mailbox_fkey foreign key (person_id) references mailboxes.mailboxes (person_id),
  constraint names_form check (name ~ '^[a-z0-9][a-z0-9-]{1,28}[a-z0-9]$'),
  constraint names_dates_both check ((forwards_until is null) = (quarantined_until is null)),
  constraint names_dates_order check (forwards_until <= quarantined_until)
);
create index names_person_id on mailboxes.names (person_id);
create unique index names_one_current on mailboxes.names (person_id) where forwards_until is null;
create index names_quarantined_until on mailboxes.names (quarantined_until);

-- All that a mail server may know: which names take mail now, and whose mailbox each leads to. Earlier names
-- lead straight to it, so there are no chains. It reads with the rights of its owner, because the role of the
-- mail server sees nothing else.
create view mailboxes.deliveries as
  select n.name, n.person_id::text as mailbox
  from mailboxes.names n join mailboxes.mailboxes b on b.person_id = n.person_id
  where b.external_address is null and (n.forwards_until is null or n.forwards_until > platform.now());

-- Those who were here before get a name from their e-mail address, with a number when it is taken.
do $$
declare
  person  record;
  base    text;
  wanted  text;
  attempt int;
begin
  for person in select id, split_part(split_part(email, '@', 1), '+', 1) as local from identity.people
                where kind = 'person' order by id
  loop
    insert into mailboxes.mailboxes (person_id) values (person.id);
    base := trim(both '-' from left(regexp_replace(person.local, '[^a-z0-9]+', '-', 'g'), 30));
    if base = '' then base := 'person'; end if;
    attempt := 0;
    loop
      attempt := attempt + 1;
      wanted := case when attempt = 1 then base else
        left(base, 20) || '-' || (10 + floor(random() * 90 * 10 ^ least(attempt - 2, 7))::bigint) end;
      if wanted ~ '^[a-z0-9][a-z0-9-]{1,28}[a-z0-9]$' and wanted not in (
        'abuse', 'account', 'accounts', 'admin', 'administrator', 'alerts', 'billing', 'bounce', 'bounces',
        'contact', 'daemon', 'dmarc', 'ftp', 'help', 'hostmaster', 'info', 'legal', 'mail', 'mailer-daemon',
        'marketing', 'news', 'no-reply', 'nobody', 'noc', 'noreply', 'notifications', 'office', 'operator',
        'owner', 'postmaster', 'privacy', 'root', 'sales', 'security', 'ssladmin', 'ssladministrator',
        'sslwebmaster', 'staff', 'status', 'support', 'sysadmin', 'system', 'team', 'usenet', 'uucp',
        'webmaster', 'www')
      then
        insert into mailboxes.names (name, person_id) values (wanted, person.id) on conflict (name) do nothing;
        exit when found;
      end if;
      if attempt > 50 then raise exception 'no mail name found for person %', person.id; end if;
    end loop;
  end loop;
end $$;
