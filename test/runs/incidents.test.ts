import { expect, test } from 'bun:test'
import { createIncidents, type Incident } from '../../src/runs/incidents.ts'

function heard() {
  const messages: unknown[] = []
  const spells = createIncidents({
    onStart: (name, error) => messages.push([name, (error as Error).message]),
    onEnd: (name, { failures }: Incident) => messages.push([name, failures]),
  })
  return { told: messages, spells }
}

test('an activity that fails a hundred times is reported once when it starts to fail, and once with the count when it recovers', () => {
  const { told: report, spells } = heard()
  for (let i = 0; i < 100; i++) spells.recordFailure('the disk', new Error('is full'))
  expect(report).toEqual([['the disk', 'is full']])
  spells.recordRecovery('the disk')
  expect(report).toEqual([
    ['the disk', 'is full'],
    ['the disk', 100],
  ])
})

test('a recovery without a failure is not reported', () => {
  const { told: report, spells } = heard()
  spells.recordRecovery('the disk')
  spells.recordFailure('the disk', new Error('is full'))
  spells.recordRecovery('another')
  spells.recordRecovery('the disk')
  spells.recordRecovery('the disk')
  expect(report).toEqual([
    ['the disk', 'is full'],
    ['the disk', 1],
  ])
})

test('an activity that fails again is a new incident', () => {
  const { told: report, spells } = heard()
  for (const message of ['is full', 'is locked']) {
    spells.recordFailure('the disk', new Error(message))
    spells.recordRecovery('the disk')
  }
  expect(report).toEqual([
    ['the disk', 'is full'],
    ['the disk', 1],
    ['the disk', 'is locked'],
    ['the disk', 1],
  ])
})
