import { join } from 'node:path'
import { closePostgresPools, openPostgresPools } from '../../src/store/postgres/postgres-store.ts'
import { startPostgres } from './postgres-server.ts'

/** The test files and folders whose services change or read the state of the service. */
export const testsOfState = ['test/http/', 'test/mcp/', 'test/runs/', 'test/auth/', 'test/ask/', 'test/telemetry/']

/** How many tests passed and failed, and what `bun test` printed. */
type TestCounts = { passed: number; failed: number; output: string }

/** Runs test files or folders in another process. Tests that have not ended after a time limit have failed. */
type RunTests = (paths: readonly string[]) => Promise<TestCounts>

const testMax_ms = 120_000
/** The longest time of all tests of a call. */
const callMax_ms = 300_000

/**
 * Calls `work` with a function that runs tests with the state of each test service in a database of its own on a
 * PostgreSQL server.
 */
export async function withTestsOnPostgres<T>(work: (runTests: RunTests) => Promise<T>): Promise<T> {
  const server = await startPostgres()
  try {
    const template = await server.createDatabase()
    await closePostgresPools(await openPostgresPools(template))
    return await work((paths) => runTests(paths, template))
  } finally {
    await server.stop()
  }
}

async function runTests(paths: readonly string[], template: string): Promise<TestCounts> {
  const child = Bun.spawn(
    [process.execPath, '--no-env-file', 'test', '--timeout', String(testMax_ms), '--only-failures', ...paths],
    {
      cwd: join(import.meta.dir, '..', '..'),
      env: { ...process.env, FIELDSTONE_TEST_DATABASE: template },
      stdout: 'ignore',
      stderr: 'pipe',
      timeout: callMax_ms,
      killSignal: 'SIGKILL',
    },
  )
  const output = await new Response(child.stderr).text()
  const exit = await child.exited
  const count = (pattern: RegExp) => Number(pattern.exec(output)?.[1] ?? 0)
  const failed = Math.max(count(/^\s*(\d+) fail\b/m), count(/^\s*(\d+) errors?\b/m))
  const hasEnded = /^Ran \d+ tests? across/m.test(output)
  return { passed: count(/^\s*(\d+) pass\b/m), failed: exit === 0 && hasEnded ? failed : Math.max(1, failed), output }
}
