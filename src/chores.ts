import { Cron, type CronOptions } from 'croner'
import type { Log } from './log.ts'

/** What is done again and again beside the answering. */
export type Chores = {
  /** Once an hour, and after a sleep at once; a chore that fails is logged and tried again in an hour. */
  hourly(name: string, work: () => void | Promise<void>): void
  /** At the times that a pattern of cron says, in UTC; one that still works is not begun again. What fails is logged. */
  scheduled(name: string, pattern: string, work: () => void | Promise<void>): void
  close(): void
}

export function openChores(log: Log): Chores {
  const jobs: Cron[] = []
  const begin = (name: string, pattern: string, options: CronOptions, work: () => void | Promise<void>) =>
    void jobs.push(new Cron(pattern, { protect: true, unref: true, catch: (error) => log.error('chore', { name, error }), ...options }, work))
  return {
    hourly: (name, work) => begin(name, '@hourly', {}, work),
    scheduled: (name, pattern, work) => begin(name, pattern, { timezone: 'UTC' }, work),
    close: () => jobs.forEach((job) => job.stop()),
  }
}
