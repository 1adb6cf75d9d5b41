import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()

test('of three processes that lock a file and remove it again and again, one has it at a time', async () => {
  const file = join(folder, 'locked')
  const script = join(import.meta.dir, 'lock-file-process.ts')
  const ends = await Promise.all(
    [1, 2, 3].map(async () => {
      const child = Bun.spawn([process.execPath, script, file, '2000'], { stdout: 'pipe', stderr: 'pipe' })
      const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
      return { locks: Number(out), errors, exit: await child.exited }
    }),
  )
  for (const { locks, errors, exit } of ends) {
    expect(errors).toBe('')
    expect(exit).toBe(0)
    expect(locks).toBeGreaterThan(0)
  }
})
