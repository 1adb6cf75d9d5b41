import type { PackFetchStatus } from '../catalog/pack-fetch-document.ts'
import type { PlannedDataset } from './harvest-plan.ts'

/** What `pack fetch --json` prints, one line of JSON each. */
export type PackFetchEvent =
  | { event: 'plan'; area: string; datasets: PlannedDataset[] }
  | { event: 'dataset'; dataset: string; state: 'running' | 'done' }
  | { event: 'dataset'; dataset: string; state: 'failed'; message: string }
  | { event: 'progress'; dataset: string; done: number; requests: number; features: number; bytes: number }
  | { event: 'waiting'; dataset: string; message: string }
  | { event: 'comparison'; points: number; compared: number; failures: number; differences: number }
  | { event: 'result'; area: string; fields: number; answered: number; failed: string[] }
  | { event: 'error'; message: string }

/** The status of a fetch after an event of its command. */
export function statusAfter(status: PackFetchStatus, event: PackFetchEvent): PackFetchStatus {
  if (event.event === 'plan') return { ...status, area: event.area, datasets: event.datasets.flatMap(waitingDataset) }
  if (event.event === 'result') return { ...status, fields: event.fields, answered: event.answered }
  if (event.event === 'error') return { ...status, message: event.message }
  if (event.event === 'comparison') return status
  // A message is that of the last event: work that goes on removes what was said of a wait.
  const { event: _, ...change } = { message: null, ...event }
  const datasets = status.datasets.map((it) => (it.dataset === event.dataset ? { ...it, ...change } : it))
  return { ...status, datasets }
}

function waitingDataset({ dataset, title, how }: PlannedDataset): PackFetchStatus['datasets'] {
  if (how !== 'file' && how !== 'service') return []
  return [{ dataset, title, state: 'waiting', done: 0, requests: 0, features: 0, bytes: 0, message: null }]
}
