/** Folders and files of tests that take minutes: browsers, processes, kills, floods, faults at every call. */
const longTests = [
  'test/async/read-json.test.ts',
  'test/backup/',
  'test/cli/',
  'test/faults/',
  'test/fetch/answer-block.test.ts',
  'test/http/area-overlays.test.ts',
  'test/http/packs.test.ts',
  'test/lies/',
  'test/load/',
  'test/mcp/process.test.ts',
  'test/online/',
  'test/packs/border.test.ts',
  'test/packs/import/rejected-input.test.ts',
  'test/packs/import/subdivide.test.ts',
  'test/readme/commands.test.ts',
  'test/runs/',
  'test/storage/',
  'test/store/',
  'test/telemetry/logs.test.ts',
  'test/web/',
]

/**
 * Returns the test files that `npm test` runs, or those that `npm run test:all` runs after it. Each file is in one part.
 * Paths begin with `./`, so that `bun test` takes them as they are.
 */
export function testFiles(part: 'short' | 'long'): string[] {
  const files = [...new Bun.Glob('test/**/*.test.{ts,tsx}').scanSync()].toSorted()
  const idle = longTests.filter((prefix) => !files.some((file) => file.startsWith(prefix)))
  if (idle.length > 0) throw new Error(`scripts/test-files.ts names tests that do not exist: ${idle.join(', ')}`)
  const isLong = (file: string) => longTests.some((prefix) => file.startsWith(prefix))
  return files.filter((file) => isLong(file) === (part === 'long')).map((file) => `./${file}`)
}
