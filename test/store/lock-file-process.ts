import { rmSync, writeFileSync } from 'node:fs'
import { lockFile } from '../../src/store/sqlite/folder-lock.ts'

/** Locks and unlocks a file for the given time, and fails when another process has the lock at the same time. */
const [file, duration_ms] = [process.argv[2]!, Number(process.argv[3])]
const mark = `${file}.mark`
let locks = 0
for (const end = performance.now() + duration_ms; performance.now() < end;) {
  const unlock = lockFile(file)
  if (!unlock) continue
  writeFileSync(mark, '', { flag: 'wx' })
  rmSync(mark)
  unlock()
  locks++
}
console.log(locks)
