/** Folders and files of tests that take minutes: browsers, processes, kills, floods, faults at every call. */
const longTests = [
  'test/auth/billed-calls.test.ts',
  'test/async/read-json.test.ts',
  'test/backup/',
  'test/build-packs/',
  'test/cli/',
  'test/clients/programs.test.ts',
  'test/conformance/',
  'test/drivers/download-parser.test.ts',
  'test/end-to-end/',
  'test/faults/',
  'test/fetch/answer-block.test.ts',
  'test/files/',
  'test/geo/wkt-methods.test.ts',
  'test/http/area-network.test.ts',
  'test/http/area-overlays.test.ts',
  'test/http/hostile-workbooks.test.ts',
  'test/http/oauth-clients.test.ts',
  'test/http/ogc-features.test.ts',
  'test/http/packs.test.ts',
  'test/http/two-servers.test.ts',
  'test/lies/',
  'test/load/',
  'test/mcp/process.test.ts',
  'test/mcp/stdio.test.ts',
  'test/online/',
  'test/pack-plans/',
  'test/packs/',
  'test/readme/commands.test.ts',
  'test/readme/recipes.test.ts',
  'test/readme/scheduler-recipes.test.ts',
  'test/request-path.test.ts',
  'test/runs/',
  'test/scripts/build.test.ts',
  'test/scripts/release.test.ts',
  'test/storage/',
  'test/store/',
  'test/telemetry/logs.test.ts',
  'test/web/',
]

/**
 * Returns the test files that `npm test` runs, or those that `npm run test:all` runs after it. Each file is in one part.
 * Paths begin with `./`, so that `bun test` takes them as they are.
 */
export function testFiles(part: 'short' | 'long', root = '.'): string[] {
  const files = [...new Bun.Glob('test/**/*.test.{ts,tsx}').scanSync(root)].toSorted()
  const idle = longTests.filter((prefix) => !files.some((file) => file.startsWith(prefix)))
  if (idle.length > 0) throw new Error(`scripts/test-files.ts names tests that do not exist: ${idle.join(', ')}`)
  const isLong = (file: string) => longTests.some((prefix) => file.startsWith(prefix))
  return files.filter((file) => isLong(file) === (part === 'long')).map((file) => `./${file}`)
}
