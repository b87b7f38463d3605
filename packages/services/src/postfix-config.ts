import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type MailFacts, repositoryRoot } from './facts.ts'

/** A file of `deploy/postfix` with its `@NAME@` places filled in, as an operator fills them in. */
export function fillPostfix(name: string, values: Readonly<Record<string, string>>): string {
  const template = readFileSync(join(repositoryRoot, 'deploy', 'postfix', name), 'utf8')
  return template.replace(/@([A-Z_]+)@/g, (_, place: string) => {
    const value = values[place]
    if (value === undefined) throw new Error(`deploy/postfix/${name} has a place ${place} that nothing fills`)
    return value
  })
}

interface PostfixInstance {
  readonly dir: string
  readonly port: number
}

/** What keeps an instance on a machine apart from all others. The rest of its main.cf is about mail. */
export const postfixInstance = ({ dir, port }: PostfixInstance): string => `queue_directory = ${dir}/spool
data_directory = ${dir}/data
maillog_file = ${dir}/log/postfix.log
maillog_file_prefixes = ${dir}
multi_instance_name = postfix-crewhall-${port}
multi_instance_enable = yes
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
default_transport = error:mail to other domains is switched off
relay_transport = error:mail to other domains is switched off
# Tests freeze and kill the mailbox server and then wait for the queue.
minimal_backoff_time = 5s
maximal_backoff_time = 30s
queue_run_delay = 5s
`

/** Takes any recipient of our domain and refuses every other one, so no mail leaves the machine. */
export const postfixMain = (facts: MailFacts): string => `compatibility_level = 3.6
${postfixInstance({ dir: facts.dir, port: facts.smtp.port })}myhostname = mx.${facts.domain}
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
local_transport = error:there are no local mailboxes
`

export const postfixMaster = ({ host, port }: { host: string; port: number }): string =>
  fillPostfix('master.cf', { SMTP_LISTEN: `${host}:${port}` })
