/** The statuses of a run. The last three are final. */
export const runStatuses = ['queued', 'running', 'succeeded', 'cancelled', 'failed'] as const
export type RunStatus = (typeof runStatuses)[number]

/** Whether a run in this status will never change again. */
export function isFinalStatus(status: RunStatus): boolean {
  return status !== 'queued' && status !== 'running'
}
