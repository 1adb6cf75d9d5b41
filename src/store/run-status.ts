/** How a run can stand; the last three are the end of it. */
export const runStatuses = ['queued', 'running', 'succeeded', 'cancelled', 'failed'] as const
export type RunStatus = (typeof runStatuses)[number]
