import type { MailFacts } from './facts.ts'

/** Takes any recipient of our domain and refuses every other one, so no mail leaves the machine. */
export const postfixMain = (facts: MailFacts): string => `compatibility_level = 3.6
queue_directory = ${facts.dir}/spool
data_directory = ${facts.dir}/data
maillog_file = ${facts.dir}/log/postfix.log
maillog_file_prefixes = ${facts.dir}
multi_instance_name = postfix-crewhall-${facts.smtp.port}
multi_instance_enable = yes
inet_interfaces = ${facts.smtp.host}
inet_protocols = ipv4
myhostname = mx.${facts.domain}
mydestination =
mynetworks =
alias_maps =
alias_database =
biff = no
smtpd_relay_restrictions = reject_unauth_destination
smtpd_recipient_restrictions = reject_unlisted_recipient
virtual_mailbox_domains = ${facts.domain}
virtual_mailbox_maps = static:accepted
virtual_alias_domains =
virtual_alias_maps =
virtual_transport = lmtp:inet:${facts.lmtp.host}:${facts.lmtp.port}
default_transport = error:mail to other domains is switched off
relay_transport = error:mail to other domains is switched off
local_transport = error:there are no local mailboxes
# Tests freeze and kill the mailbox server and then wait for the queue.
minimal_backoff_time = 5s
maximal_backoff_time = 30s
queue_run_delay = 5s
`

/** Only the services that this use needs, none of them in a chroot, since the spool holds no system files. */
export const postfixMaster = (
  facts: MailFacts,
): string => `${facts.smtp.host}:${facts.smtp.port} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`
