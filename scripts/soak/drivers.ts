import { join } from 'node:path'
import { atLeast, atMost, type Finding } from './finding.ts'

/** Every fault at every driver that asks another server, and what comes after: the tests of the matrix, each a row. */
export async function drivers(): Promise<Finding[]> {
  const root = join(import.meta.dir, '..', '..')
  const child = Bun.spawn(
    [process.execPath, '--no-env-file', 'test', 'test/faults/matrix.test.ts', 'test/faults/source-options.test.ts'],
    { cwd: root, stdout: 'ignore', stderr: 'pipe' },
  )
  const output = await child.stderr.text()
  await child.exited
  const count = (word: string) => Number(new RegExp(`^ *(\\d+) ${word}$`, 'm').exec(output)?.[1] ?? 0)
  for (const line of output.split('\n').filter((it) => it.startsWith('(fail)'))) console.error(line)
  return [
    atLeast('P20', 'rows of the matrix of faults and drivers that come out right', count('pass'), 100),
    atMost('P20', 'rows that do not', count('fail') + Math.sign(child.exitCode ?? 1), 0),
  ]
}
