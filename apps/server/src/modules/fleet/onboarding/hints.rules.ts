import type { Beacon, OnboardingFacts, Stall } from './onboarding.rules.ts'

/** One sentence or two: what to do about the stall, by what is known of its cause. */
export function hintOf({ reason }: Stall, facts: OnboardingFacts): string {
  const hint = hints[reason](facts)
  // The reason names the stall; that it is paused as well is worth a word.
  return facts.state === 'suspended' && reason !== 'suspended' ? `${hint} ${alsoSuspended}` : hint
}

const alsoSuspended = 'The desk is also suspended: set its status to `provisioned` to resume it.'

const hints: Readonly<Record<Stall['reason'], (facts: OnboardingFacts) => string>> = {
  awaiting_callback: ({ beacon, has_pat, is_pat_expired }) => {
    if (!has_pat)
      return 'This desk came with a hire and waits for a machine. Call regenerate-pat to get the install command, and run it on the machine as root.'
    if (is_pat_expired)
      return 'The token of the install command has expired. Call regenerate-pat and run the new command.'
    if (!beacon)
      return 'Run the install command on the machine as root. If you have run it, check that the machine may connect out over HTTPS.'
    return beacon.ok ? afterStage(beacon) : afterFailure(beacon)
  },
  awaiting_wg_peer: () =>
    'The machine has registered and is not in the network yet. If this lasts, outbound UDP to the hub is blocked: open it in the firewall of the machine.',
  awaiting_first_health_check: ({ misses }) =>
    misses > 0
      ? `The sidecar has not answered ${misses === 1 ? 'the last health check' : `the last ${misses} health checks`}. See \`systemctl status crewhall-sidecar\` on the machine.`
      : 'The first health check is due within a minute.',
  awaiting_ready: () => 'The sidecar has answered. The desk is ready in a moment.',
  misrouted: ({ is_quarantined }) =>
    is_quarantined
      ? 'Two machines use the key of this desk, so neither is heard. Call regenerate-pat and run the new command on one of them.'
      : 'This machine hosts another desk. Run the install command on a machine of its own, or release the other desk first.',
  unreachable: ({ is_link_lost }) =>
    is_link_lost
      ? 'The machine reports over HTTPS and is not heard in the network: outbound UDP to the hub is blocked. Open it in the firewall of the machine.'
      : 'The sidecar has stopped answering. Check that the machine is on and online, then `systemctl restart crewhall-sidecar`.',
  suspended: () => 'The desk is suspended. Set its status to `provisioned` to resume it.',
}

const afterStage = ({ stage }: Beacon): string =>
  `The installer is running; its last report was \`${stage}\`. If nothing follows, run the install command again.`

/** Exit codes of the installer. */
const failures: Readonly<Record<number, string>> = {
  2: 'The machine is not supported: use a 64-bit Linux. The output of the installer says what is missing.',
  3: 'The installer could not download the sidecar: check that the machine may connect out over HTTPS, and run the command again.',
  4: 'The signature of the sidecar did not match, so nothing was installed: run the command again, and report it if this repeats.',
  5: 'The token of the install command was refused: call regenerate-pat and run the new command.',
  6: 'The installer needs root: log in as root, or run the command that ends with `sudo bash`.',
  8: 'The machine could not join the network: open outbound UDP to the hub in its firewall, and run the command again.',
  9: 'The sidecar did not start and was rolled back: see `journalctl -u crewhall-sidecar` on the machine.',
}

const afterFailure = ({ stage, exit_code }: Beacon): string =>
  failures[exit_code ?? 0] ??
  `The installer failed at \`${stage}\`: see its output on the machine, and run the install command again.`
