import { expect, test } from 'bun:test'
import { hasPostgres } from '../support/postgres-server.ts'
import { withTestsOnPostgres } from '../support/tests-on-postgres.ts'

// `npm run soak -- http-postgres` runs all tests of the interfaces.
const files = ['runs', 'shares'].map((name) => `test/http/${name}.test.ts`)

test.skipIf(!hasPostgres)('the tests of runs and links pass with the state in PostgreSQL (needs initdb)', async () => {
  const { passed, failed, output } = await withTestsOnPostgres((runTests) => runTests(files))
  expect(failed === 0 ? '' : output).toBe('')
  expect(passed).toBeGreaterThan(50)
})
