import type { MailFacts } from './facts.ts'

/** Every address of the domain has a mailbox, which comes into being with its first mail or login. */
export const dovecotConfig = (facts: MailFacts): string => `base_dir = ${facts.dir}/dovecot
state_dir = ${facts.dir}/dovecot
log_path = ${facts.dir}/log/dovecot.log
protocols = imap lmtp
listen = ${facts.imap.host}
ssl = no
disable_plaintext_auth = no
default_internal_user = dovecot
default_login_user = dovenull
mail_location = maildir:~
mail_uid = mail
mail_gid = mail
first_valid_uid = 1
auth_username_format = %Lu
passdb {
  driver = static
  args = password=${facts.imap_password}
}
userdb {
  driver = static
  args = uid=mail gid=mail home=${facts.maildir_root}/%Lu allow_all_users=yes
}
# Tests open many sessions from one address.
mail_max_userip_connections = 200
service imap-login {
  inet_listener imap {
    port = ${facts.imap.port}
  }
  inet_listener imaps {
    port = 0
  }
}
service lmtp {
  inet_listener lmtp {
    address = ${facts.lmtp.host}
    port = ${facts.lmtp.port}
  }
}
namespace inbox {
  inbox = yes
}
`
