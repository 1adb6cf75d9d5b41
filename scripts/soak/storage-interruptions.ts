import { faultyWrites } from '../../test/store/faulty-writes.ts'
import { upgradesKilled } from '../../test/store/upgrade.ts'
import { hasStrace } from '../../test/support/strace.ts'
import { atLeast, atMost, type Finding } from './finding.ts'

/** P33 and P36: killed, or refused by the disk, at every system call that writes. Skipped without strace. */
export async function interruptions(): Promise<Finding[]> {
  if (!hasStrace) {
    console.error('P33, P36: strace is not here, or may not trace: skipped.')
    return []
  }
  const { left, lost, withoutCopy } = await upgradesKilled()
  const { injected, died, unsound, unanswered } = await faultyWrites()
  const count = (what: (typeof left)[number]) => left.filter((it) => it === what).length
  console.error(`P36: of ${left.length} kills ${count('old')} left the old state and ${count('new')} the new`)
  return [
    atLeast('P36', 'points of an upgrade at which it was killed', left.length, 20),
    atMost('P36', 'states half old, half new', count('half'), 0),
    atMost('P36', 'starts after a kill that were not well', lost, 0),
    atMost('P36', 'new states without a copy of the old', withoutCopy, 0),
    atLeast('P33', 'failing writes injected', injected, 20),
    atMost('P33', 'processes that died of a failing write', died, 0),
    atMost('P33', 'requests not answered with 2xx or 503', unanswered, 0),
    atMost('P33', 'databases not sound afterwards', unsound, 0),
  ]
}
