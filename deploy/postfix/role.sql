-- Run once as a superuser on the database of Crewhall, after its first migration; then set a password.
create role crewhall_mail login connection limit 50;
grant usage on schema mailboxes to crewhall_mail;
grant select on mailboxes.deliveries to crewhall_mail;
