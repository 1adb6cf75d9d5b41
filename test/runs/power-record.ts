import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder, startFieldstone } from '../cli/fieldstone.ts'

/** The file operations of a process on `state.db` and its acknowledgments, in order. */
export type FileOperation =
  | { do: 'create' | 'unlink' | 'sync'; file: string }
  | { do: 'write'; file: string; at: number; bytes: Uint8Array }
  | { do: 'truncate'; file: string; size: number }
  | { do: 'rename'; file: string; to: string }
  | { do: 'sync folder' }
  /** A run was acknowledged, or reported as finished. */
  | { do: 'tell'; what: 'taken in' | 'finished'; run_id: string }

/**
 * Serves runs under strace on a new data folder, and gives every step. `runs`: how many locations each of them has, one
 * run after the other.
 */
export async function recordOperations(runs: number[]): Promise<FileOperation[]> {
  const { folder, remove } = newFolder()
  const [data, log] = [join(folder, 'data'), join(folder, 'log')]
  const tracing = [
    'strace',
    '-f',
    '-y',
    '-xx',
    '-s',
    '200000',
    '-e',
    'signal=none',
    '-e',
    'trace=pwrite64,fdatasync,fsync,ftruncate,unlink,rename,renameat,renameat2,openat,sendto,write,writev,sendmsg',
    '-o',
    log,
  ]
  const child = startFieldstone(
    ['serve', '--data', data],
    { FIELDSTONE_AUTH: 'off', FIELDSTONE_LOG: 'error' },
    folder,
    tracing,
  )
  try {
    const [, address = ''] = await child.waitForOutput(/answers at (http:\S+)/)
    for (const locations of runs) {
      const body = {
        kind: 'fetch_batch',
        request: {
          locations: Array.from({ length: locations }, (_, i) => ({ lat: 39 + i / 1000, lng: -105 })),
          fields: ['geohash'],
        },
      }
      const response = await fetch(`${address}/v1/runs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      const { run_id } = (await response.json()) as { run_id: string }
      await (await fetch(`${address}/v1/runs/${run_id}/events`)).text()
    }
    const pid = /^\d+/.exec(readFileSync(log, 'latin1').slice(0, 20))![0]
    process.kill(Number(pid), 'SIGKILL')
    await child.end()
    return stepsIn(readFileSync(log, 'latin1'), data)
  } finally {
    remove()
  }
}

function stepsIn(log: string, data: string): FileOperation[] {
  const there = new Set<string>()
  let run_id = ''
  return log.split('\n').flatMap((line): FileOperation[] => {
    const [, name = '', rest = ''] = /^\d+ +(\w+)\((.*)$/.exec(line) ?? []
    const step = stepOf(name, rest, data, there)
    if (step?.do !== 'tell') return step ? [step] : []
    // One run follows the other, so the final event is that of the last run.
    run_id = step.run_id || run_id
    return [{ ...step, run_id }]
  })
}

function stepOf(name: string, rest: string, data: string, there: Set<string>): FileOperation | null {
  if (name === 'sendto' || name === 'write' || name === 'writev' || name === 'sendmsg')
    return messageIn(
      textsIn(rest)
        .map((bytes) => bytes.toString('latin1'))
        .join(''),
    )
  if (name.startsWith('rename')) {
    const [file, to] = textsIn(rest).map((path) => fileIn(path.toString(), data))
    if (!file || !to) return null
    there.delete(file)
    there.add(to)
    return { do: 'rename', file, to }
  }
  if (name === 'openat' || name === 'unlink') {
    const file = fileIn(textsIn(rest)[0]?.toString() ?? '', data)
    if (file === null || (name === 'openat' && (there.has(file) || !rest.includes('O_CREAT')))) return null
    if (name === 'unlink') there.delete(file)
    else there.add(file)
    return { do: name === 'unlink' ? 'unlink' : 'create', file }
  }
  const path = decoded(/^\d+<([^>]*)>/.exec(rest)?.[1] ?? '').toString()
  if (name.startsWith('f') && name.endsWith('sync') && path === data) return { do: 'sync folder' }
  const file = fileIn(path, data)
  if (file === null) return null
  if (name === 'pwrite64')
    return { do: 'write', file, at: Number(/, (\d+)(?:\)| <unfinished)/.exec(rest)![1]), bytes: textsIn(rest)[0]! }
  if (name === 'ftruncate') return { do: 'truncate', file, size: Number(/>, (\d+)/.exec(rest)![1]) }
  return { do: 'sync', file }
}

/**
 * Of the files of the database, the index of its journal is the one that does not outlive the process: SQLite makes it
 * anew.
 */
function fileIn(path: string, data: string): string | null {
  return path.startsWith(join(data, 'state.db')) && !path.endsWith('-shm') ? path.slice(data.length + 1) : null
}

/** Returns the message to the client in a write. The document of a final event follows in later writes. */
function messageIn(text: string): FileOperation | null {
  const takenIn = /^HTTP\/1\.1 202 .*"run_id":"(run_\w{26})"/s.exec(text)?.[1]
  if (takenIn !== undefined) return { do: 'tell', what: 'taken in', run_id: takenIn }
  return /event: final\nid: \d+\ndata: /.test(text) ? { do: 'tell', what: 'finished', run_id: '' } : null
}

function textsIn(rest: string): Buffer[] {
  return [...rest.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex]) => decoded(hex!))
}

function decoded(hex: string): Buffer {
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex')
}
