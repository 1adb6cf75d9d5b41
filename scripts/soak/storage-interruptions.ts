import { killImports } from '../../test/build-packs/import-kills.ts'
import { testFaultyWrites } from '../../test/store/faulty-writes.ts'
import { killUpgrades } from '../../test/store/upgrade.ts'
import { hasStrace } from '../../test/support/strace.ts'
import { atLeast, atMost, type Finding } from './finding.ts'

/** Tests P33 and P36: a kill or a disk error at every system call that writes. Skipped without strace. */
export async function testInterruptions(): Promise<Finding[]> {
  if (!hasStrace) {
    console.error('Skipped P33 and P36: strace is not installed or not permitted to trace.')
    return []
  }
  const { left, lost, withoutCopy } = await killUpgrades()
  const { injected, died, corrupt, unanswered } = await testFaultyWrites()
  const imports = (await killImports(1)).filter(({ isKilled }) => isKilled)
  const importsIn = (state: (typeof imports)[number]['state']) => imports.filter((it) => it.state === state).length
  const count = (what: (typeof left)[number]) => left.filter((it) => it === what).length
  console.error(`P36: of ${left.length} kills ${count('old')} left the old state and ${count('new')} the new`)
  return [
    atLeast('P36', 'kills at different points of an upgrade', left.length, 20),
    atMost('P36', 'partly upgraded states', count('half'), 0),
    atMost('P36', 'failed starts after a kill', lost, 0),
    atMost('P36', 'new states without a copy of the old', withoutCopy, 0),
    atLeast('P36', 'kills at different points of an import that left the old packs', importsIn('old'), 20),
    atLeast('P36', 'kills at different points of an import that left the new packs', importsIn('new'), 10),
    atMost('P36', 'partly imported packs', importsIn('mixed'), 0),
    atLeast('P33', 'failing writes injected', injected, 20),
    atMost('P33', 'processes that ended because of a failing write', died, 0),
    atMost('P33', 'requests not answered with 2xx or 503', unanswered, 0),
    atMost('P33', 'corrupt databases afterwards', corrupt, 0),
  ]
}
