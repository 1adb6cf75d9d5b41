import { closeSync, copyFileSync, openSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Database } from 'bun:sqlite'
import { newFolder, startFieldstone } from '../../test/cli/fieldstone.ts'
import { quantile } from '../bench/report.ts'
import { fillState } from './big-state.ts'
import { atMost, type Finding } from './finding.ts'

const env = { FIELDSTONE_AUTH: 'off', FIELDSTONE_LOG: 'error' }
const large_mb = 1000
const starts = 9

/**
 * Tests P32 and P3 with a large state: six kinds of corruption end with exit code 78 and one line, and the start stays
 * short.
 */
export async function testCorruption(): Promise<Finding[]> {
  const { folder, remove } = newFolder()
  try {
    const data = join(folder, 'data')
    const file = join(data, 'state.db')
    await fillState(data, large_mb)
    const boots: number[] = []
    for (let i = 0; i < starts; i++) boots.push(await boot_ms(data, folder))
    const intact = join(folder, 'intact.db')
    copyFileSync(file, intact)
    let rejected = 0
    for (const change of shapes(intact)) {
      copyFileSync(intact, file)
      change(file)
      const { code, err } = await startFieldstone(['serve', '--data', data], env, folder).end()
      if (code === 78 && err.trim().split('\n').length === 1) rejected++
      else console.error(`P32: ${change.name} ended with ${code}: ${err}`)
    }
    return [
      atMost('P3', `boot with ${large_mb} MB of results, p50`, quantile(boots, 0.5), { bound: 500, unit: 'ms' }),
      {
        promise: 'P32',
        figure: `kinds of corruption rejected with exit code 78 and one line, in ${large_mb} MB`,
        value: rejected,
        target: '= 6',
        pass: rejected === 6,
      },
    ]
  } finally {
    remove()
  }
}

/** Returns the time from the start to the first answer of /healthz. */
async function boot_ms(data: string, folder: string): Promise<number> {
  const began = performance.now()
  const child = startFieldstone(['serve', '--data', data], env, folder)
  const [, url] = await child.waitForOutput(/answers at (http:\S+)/)
  await fetch(`${url}/healthz`)
  const ms = performance.now() - began
  child.signal('SIGTERM')
  await child.end()
  return ms
}

function shapes(intact: string): ((file: string) => void)[] {
  const overwrite = (file: string, at: number, bytes: Uint8Array) => {
    const handle = openSync(file, 'r+')
    writeSync(handle, bytes, 0, bytes.length, at)
    closeSync(handle)
  }
  const db = new Database(intact, { readonly: true })
  const { bytes } = db
    .query<{ bytes: number }, []>('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
    .get()!
  db.close()
  return [
    function ofNoBytes(file) {
      writeFileSync(file, '')
    },
    function garbageForAHeader(file) {
      overwrite(file, 0, new Uint8Array(100).fill(0xa5))
    },
    function cutInTheMiddle(file) {
      truncateSync(file, Math.floor(bytes / 2))
    },
    function ofAnotherProgram(file) {
      overwrite(file, 68, new Uint8Array([0, 0, 0, 42]))
    },
    function ofANewerFieldstone(file) {
      overwrite(file, 60, new Uint8Array([0, 0, 0, 99]))
    },
    function aDamagedPage(file) {
      overwrite(file, Math.floor(bytes / 2 / 4096) * 4096, new Uint8Array(4096).fill(0xa5))
    },
  ]
}
