import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Point } from '../../src/model/place.ts'
import { newFolder, startFieldstone } from './fieldstone.ts'

/** A field of an answer. */
export type FieldAnswer = {
  status: 'ok' | 'absent' | 'failed'
  value: unknown
  driver: string | null
  vintage: string | null
  absent_reason?: string
  error?: string
}
export type FieldAnswers = Record<string, FieldAnswer>
type PackState = {
  file: string
  state: string
  reason: string | null
  datasets: string[]
  area: string | null
  vintage: string | null
}

/** A real offline server in its own folder, and the pack commands on the same folder. */
export type OfflineService = {
  folder: string
  packs: string
  /** Runs `fieldstone pack …`. Returns its exit code and output. */
  pack(words: string[]): Promise<{ code: number; out: string; err: string }>
  json<T>(path: string): Promise<T>
  post(path: string, body: unknown): Promise<Response>
  /** The fields at every point, requested 25 points at a time. */
  answers(points: readonly Point[], fields: readonly string[]): Promise<FieldAnswers[]>
  state(file: string): Promise<PackState | undefined>
  /** Waits until a pack file has a state; `undefined` means removed. */
  until(file: string, state: 'live' | 'rejected' | undefined): Promise<PackState | undefined>
  /** The remote addresses of the open sockets of the process. */
  peers(): string[]
  stop(): Promise<void>
}

/** Starts the server. Requests wait until it listens. */
export function openOfflineService(env: Record<string, string> = {}): OfflineService {
  const { folder, remove } = newFolder()
  const child = startFieldstone(
    ['serve', '--data', join(folder, 'data')],
    { FIELDSTONE_AUTH: 'off', FIELDSTONE_OFFLINE: '1', ...env },
    folder,
  )
  const address = child.waitForOutput(/answers at (http:\S+)/).then(([, it]) => it!)
  address.catch(() => {})
  const packs = join(folder, 'data', 'packs')
  const post = async (path: string, body: unknown) =>
    fetch(`${await address}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const json = async <T>(path: string) => (await (await fetch(`${await address}${path}`)).json()) as T
  const state = async (file: string) =>
    (await json<{ packs: PackState[] }>('/v1/meta/sources')).packs.find((it) => it.file === file)
  return {
    folder,
    packs,
    json,
    post,
    state,
    pack: (words) => startFieldstone(['pack', ...words], {}, folder).end(),
    async answers(points, fields) {
      const found: FieldAnswers[] = []
      for (let from = 0; from < points.length; from += 25) {
        const response = await post('/v1/fetch/batch', { locations: points.slice(from, from + 25), fields })
        if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
        const { results } = (await response.json()) as { results: { fields: FieldAnswers }[] }
        found.push(...results.map((it) => it.fields))
      }
      return found
    },
    async until(file, requested) {
      for (;;) {
        const now = await state(file)
        if (now?.state === requested) return now
        await Bun.sleep(20)
      }
    },
    peers: () => socketsOf(child.pid),
    async stop() {
      child.signal('SIGTERM')
      await child.end()
      remove()
    },
  }
}

/**
 * By what Linux says of a process: its sockets by number, and the table of all TCP and UDP sockets. Local sockets are
 * in neither table.
 */
function socketsOf(pid: number): string[] {
  const own = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => /socket:\[(\d+)\]/.exec(linkOf(`/proc/${pid}/fd/${fd}`))?.[1] ?? []),
  )
  return ['tcp', 'tcp6', 'udp', 'udp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((cells) => own.has(cells[9]!))
      .map((cells) => cells[2]!),
  )
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return '' // closed since
  }
}
