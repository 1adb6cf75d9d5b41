import { join } from 'node:path'
import { closePostgresPools, openPostgresPools } from '../../src/store/postgres/postgres-store.ts'
import { startPostgres } from './postgres-server.ts'

/** The test files and folders whose services change or read the state of the service. */
export const testsOfState = ['test/http/', 'test/mcp/', 'test/runs/', 'test/auth/', 'test/ask/', 'test/telemetry/']

type TestCounts = { passed: number; failed: number; output: string }

const testMax_ms = 120_000

/**
 * Runs test files or folders in another process, with the state of each test service in a database of its own on a
 * PostgreSQL server. Returns how many tests passed and failed.
 */
export async function runTestsOnPostgres(paths: string[]): Promise<TestCounts> {
  const server = await startPostgres()
  try {
    const template = await server.createDatabase()
    await closePostgresPools(await openPostgresPools(template))
    const child = Bun.spawn(
      [process.execPath, '--no-env-file', 'test', '--timeout', String(testMax_ms), '--only-failures', ...paths],
      {
        cwd: join(import.meta.dir, '..', '..'),
        env: { ...process.env, FIELDSTONE_TEST_DATABASE: template },
        stdout: 'ignore',
        stderr: 'pipe',
      },
    )
    const output = await new Response(child.stderr).text()
    const exit = await child.exited
    const count = (pattern: RegExp) => Number(pattern.exec(output)?.[1] ?? 0)
    const failed = Math.max(count(/^\s*(\d+) fail\b/m), count(/^\s*(\d+) errors?\b/m))
    const hasEnded = /^Ran \d+ tests? across/m.test(output)
    return {
      passed: count(/^\s*(\d+) pass\b/m),
      failed: exit === 0 && hasEnded ? failed : Math.max(1, failed),
      output,
    }
  } finally {
    await server.stop()
  }
}
