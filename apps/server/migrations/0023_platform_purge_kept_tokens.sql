-- Answers that held a new token in clear. The row stays, so a key that was used is still known as used.
select set_config('app.system', 'on', true);
update platform.kept_answers set body = null where body like '%"token":"chp\_%';
