import { expect, test } from 'bun:test'
import { createIncidents, type Incident } from '../../src/runs/report/incidents.ts'

function createReport() {
  const messages: unknown[] = []
  const incidents = createIncidents({
    onStart: (name, error) => messages.push([name, (error as Error).message]),
    onEnd: (name, { failures }: Incident) => messages.push([name, failures]),
  })
  return { report: messages, incidents }
}

test('an activity that fails a hundred times is reported once when it starts to fail, and once with the count when it recovers', () => {
  const { report, incidents } = createReport()
  for (let i = 0; i < 100; i++) incidents.recordFailure('the disk', new Error('is full'))
  expect(report).toEqual([['the disk', 'is full']])
  incidents.recordRecovery('the disk')
  expect(report).toEqual([
    ['the disk', 'is full'],
    ['the disk', 100],
  ])
})

test('a recovery without a failure is not reported', () => {
  const { report, incidents } = createReport()
  incidents.recordRecovery('the disk')
  incidents.recordFailure('the disk', new Error('is full'))
  incidents.recordRecovery('another')
  incidents.recordRecovery('the disk')
  incidents.recordRecovery('the disk')
  expect(report).toEqual([
    ['the disk', 'is full'],
    ['the disk', 1],
  ])
})

test('an activity that fails again is a new incident', () => {
  const { report, incidents } = createReport()
  for (const message of ['is full', 'is locked']) {
    incidents.recordFailure('the disk', new Error(message))
    incidents.recordRecovery('the disk')
  }
  expect(report).toEqual([
    ['the disk', 'is full'],
    ['the disk', 1],
    ['the disk', 'is locked'],
    ['the disk', 1],
  ])
})
