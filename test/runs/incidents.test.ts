import { expect, test } from 'bun:test'
import { createIncidents, type Incident } from '../../src/runs/incidents.ts'

function heard() {
  const told: unknown[] = []
  const spells = createIncidents({
    onStart: (name, error) => told.push([name, (error as Error).message]),
    onEnd: (name, { failures }: Incident) => told.push([name, failures]),
  })
  return { told, spells }
}

test('a trouble that comes a hundred times is told of when it begins, and with its number when it is over', () => {
  const { told, spells } = heard()
  for (let i = 0; i < 100; i++) spells.recordFailure('the disk', new Error('is full'))
  expect(told).toEqual([['the disk', 'is full']])
  spells.recordRecovery('the disk')
  expect(told).toEqual([
    ['the disk', 'is full'],
    ['the disk', 100],
  ])
})

test('where there was no trouble, nothing is told of its end', () => {
  const { told, spells } = heard()
  spells.recordRecovery('the disk')
  spells.recordFailure('the disk', new Error('is full'))
  spells.recordRecovery('another')
  spells.recordRecovery('the disk')
  spells.recordRecovery('the disk')
  expect(told).toEqual([
    ['the disk', 'is full'],
    ['the disk', 1],
  ])
})

test('a trouble that comes back is another', () => {
  const { told, spells } = heard()
  for (const message of ['is full', 'is locked']) {
    spells.recordFailure('the disk', new Error(message))
    spells.recordRecovery('the disk')
  }
  expect(told).toEqual([
    ['the disk', 'is full'],
    ['the disk', 1],
    ['the disk', 'is locked'],
    ['the disk', 1],
  ])
})
