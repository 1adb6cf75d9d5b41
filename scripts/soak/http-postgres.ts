import { hasPostgres } from '../../test/support/postgres-server.ts'
import { runTestsOnPostgres, testsOfState } from '../../test/support/tests-on-postgres.ts'
import { atLeast, atMost, type Finding } from './finding.ts'

/** Runs the tests of all interfaces with the state of each test service in a PostgreSQL database. */
export async function soakHttpPostgres(): Promise<Finding[]> {
  if (!hasPostgres) {
    console.error('The suite http-postgres is skipped: it needs postgresql.')
    return []
  }
  const { passed, failed, output } = await runTestsOnPostgres(testsOfState)
  if (failed > 0) console.error(output)
  console.error(`${passed} passed, ${failed} failed`)
  return [
    atLeast('N', 'tests of the interfaces that pass on PostgreSQL', passed, 2000),
    atMost('N', 'tests of the interfaces that fail on PostgreSQL', failed, 0),
  ]
}
