import { Cron, type CronOptions } from 'croner'
import type { Log } from './log.ts'

/** What is done again and again beside the answering. */
export type Scheduler = {
  /** Once an hour, and after a sleep at once; a chore that fails is logged and tried again in an hour. */
  runHourly(name: string, work: () => void | Promise<void>): void
  /** At the times that a pattern of cron says, in UTC; one that still works is not begun again. What fails is logged. */
  runOnSchedule(name: string, pattern: string, work: () => void | Promise<void>): void
  close(): void
}

export function openScheduler(log: Log): Scheduler {
  const jobs: Cron[] = []
  const schedule = (name: string, pattern: string, options: CronOptions, work: () => void | Promise<void>) =>
    void jobs.push(
      new Cron(
        pattern,
        { protect: true, unref: true, catch: (error) => log.error('job_failed', { name, error }), ...options },
        work,
      ),
    )
  return {
    runHourly: (name, work) => schedule(name, '@hourly', {}, work),
    runOnSchedule: (name, pattern, work) => schedule(name, pattern, { timezone: 'UTC' }, work),
    close: () => jobs.forEach((job) => job.stop()),
  }
}
