import type { Family, Labels, Sample } from './family.ts'

/** A metric whose values are read at the moment when it is looked at: one value, or one for each set of labels. */
export function gauge(name: string, help: string, read: () => number | Iterable<[Labels, number]>): Family {
  return { name, help, type: 'gauge', samples: () => samplesOf(read()) }
}

/** The same of something that is counted elsewhere, and only grows. */
export function total(name: string, help: string, read: () => number | Iterable<[Labels, number]>): Family {
  return { ...gauge(name, help, read), type: 'counter' }
}

function samplesOf(read: number | Iterable<[Labels, number]>): Iterable<Sample> {
  return typeof read === 'number' ? [{ labels: {}, value: read }] : [...read].map(([labels, value]) => ({ labels, value }))
}
