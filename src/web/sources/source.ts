import type { SourceStatus } from '../../catalog/sources-document.ts'

/** How a dataset stands: it answers, nobody has asked it since the start, its host is in trouble, or nothing here can ask it. */
export const states = ['ready', 'waiting', 'degraded', 'off'] as const
export type State = (typeof states)[number]

/** The first way that is at hand decides, as /readyz has it. */
export function stateOf({ drivers, unavailable_reason, circuit, last_success }: SourceStatus): State {
  if (unavailable_reason !== null) return 'off'
  const first = drivers.find(({ available }) => available)
  if (first && isLocal(first.driver)) return 'ready'
  if (circuit !== null && circuit !== 'closed') return 'degraded'
  return last_success === null ? 'waiting' : 'ready'
}

export const stateWords: Record<State, { word: string; kind: 'ok' | 'absent' | 'failed' | 'busy' }> = {
  ready: { word: 'ready', kind: 'ok' },
  waiting: { word: 'not asked yet', kind: 'absent' },
  degraded: { word: 'degraded', kind: 'failed' },
  off: { word: 'off', kind: 'absent' },
}

/** What a driver is, for people. */
export function wayOf(driver: string): string {
  return ways[driver] ?? 'network'
}

/** The same, with the driver where its name says more. */
export function wayInFull(driver: string): string {
  return ways[driver] ?? `network (${driver})`
}

const ways: Record<string, string> = {
  embedded: 'compiled in',
  pack: 'pack',
  computed: 'worked out here',
  table: 'downloaded table',
  geojson_file: 'downloaded file',
}

function isLocal(driver: string): boolean {
  return ['embedded', 'pack', 'computed'].includes(driver)
}
