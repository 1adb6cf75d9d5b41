import type { SourceStatus } from '../../catalog/sources-document.ts'

/** How a dataset stands: it answers, nobody has asked it since the start, its host is in trouble, or nothing here can ask it. */
export const sourceStates = ['ready', 'waiting', 'degraded', 'off'] as const
export type SourceState = (typeof sourceStates)[number]

/** The first way that is at hand decides, as /readyz has it. */
export function sourceStateOf({ drivers, unavailable_reason, circuit, last_success }: SourceStatus): SourceState {
  if (unavailable_reason !== null) return 'off'
  const first = drivers.find(({ available }) => available)
  if (first && isLocal(first.driver)) return 'ready'
  if (circuit !== null && circuit !== 'closed') return 'degraded'
  return last_success === null ? 'waiting' : 'ready'
}

export const sourceStateBadges: Record<SourceState, { word: string; kind: 'ok' | 'absent' | 'failed' | 'busy' }> = {
  ready: { word: 'ready', kind: 'ok' },
  waiting: { word: 'not asked yet', kind: 'absent' },
  degraded: { word: 'degraded', kind: 'failed' },
  off: { word: 'off', kind: 'absent' },
}

/** What a driver is, for people. */
export function driverLabel(driver: string): string {
  return driverLabels[driver] ?? 'network'
}

/** The same, with the driver where its name says more. */
export function driverDescription(driver: string): string {
  return driverLabels[driver] ?? `network (${driver})`
}

const driverLabels: Record<string, string> = {
  embedded: 'compiled in',
  pack: 'pack',
  computed: 'worked out here',
  table: 'downloaded table',
  geojson_file: 'downloaded file',
}

function isLocal(driver: string): boolean {
  return ['embedded', 'pack', 'computed'].includes(driver)
}
