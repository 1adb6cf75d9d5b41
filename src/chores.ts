import { Cron } from 'croner'
import type { Log } from './log.ts'

/** What is done again and again beside the answering. */
export type Chores = {
  /** Once an hour, and after a sleep at once; a chore that fails is logged and tried again in an hour. */
  hourly(name: string, work: () => void | Promise<void>): void
  close(): void
}

export function openChores(log: Log): Chores {
  const jobs: Cron[] = []
  return {
    hourly(name, work) {
      jobs.push(new Cron('@hourly', { protect: true, unref: true, catch: (error) => log.error('chore', { name, error }) }, work))
    },
    close: () => jobs.forEach((job) => job.stop()),
  }
}
