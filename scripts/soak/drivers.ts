import { join } from 'node:path'
import { atLeast, atMost, type Finding } from './finding.ts'

/** Tests every fault with every remote driver, and the recovery after it. Each row is one test of the matrix. */
export async function soakDrivers(): Promise<Finding[]> {
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
    atLeast('P20', 'passed rows of the matrix of faults and drivers', count('pass'), 100),
    atMost('P20', 'failed rows', count('fail') + Math.sign(child.exitCode ?? 1), 0),
  ]
}
