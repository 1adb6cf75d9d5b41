import { hasPostgres } from '../../test/support/postgres-server.ts'
import { testsOfState, withTestsOnPostgres } from '../../test/support/tests-on-postgres.ts'
import { atLeast, atMost, type Finding } from './finding.ts'

const testsMin = 2000

/**
 * Runs the tests of all interfaces, or those of some files, with the state of each test service in a PostgreSQL
 * database. Each file runs in a process of its own.
 */
export async function soakHttpPostgres(named: readonly string[]): Promise<Finding[]> {
  if (!hasPostgres) {
    console.error('The suite http-postgres is skipped: it needs postgresql.')
    return []
  }
  const files = named.length > 0 ? named : testsOfState.flatMap(filesIn)
  const all = { passed: 0, failed: 0 }
  await withTestsOnPostgres(async (runTests) => {
    for (const file of files) {
      const start_ms = performance.now()
      const { passed, failed, output } = await runTests([file])
      if (failed > 0) console.error(output)
      console.error(
        `${file}: ${passed} passed, ${failed} failed, ${((performance.now() - start_ms) / 1000).toFixed(1)} s`,
      )
      all.passed += passed
      all.failed += failed
    }
  })
  return [
    atLeast('N', 'tests of the interfaces that pass on PostgreSQL', all.passed, named.length > 0 ? 1 : testsMin),
    atMost('N', 'tests of the interfaces that fail on PostgreSQL', all.failed, 0),
  ]
}

function filesIn(folder: string): string[] {
  return [...new Bun.Glob(`${folder}**/*.test.ts`).scanSync('.')].sort()
}
