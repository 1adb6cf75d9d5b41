import { expect, test } from 'bun:test'
import { openSpells, type Spell } from '../../src/runs/spells.ts'

function heard() {
  const told: unknown[] = []
  const spells = openSpells({ begun: (name, error) => told.push([name, (error as Error).message]), over: (name, { times }: Spell) => told.push([name, times]) })
  return { told, spells }
}

test('a trouble that comes a hundred times is told of when it begins, and with its number when it is over', () => {
  const { told, spells } = heard()
  for (let i = 0; i < 100; i++) spells.came('the disk', new Error('is full'))
  expect(told).toEqual([['the disk', 'is full']])
  spells.ended('the disk')
  expect(told).toEqual([['the disk', 'is full'], ['the disk', 100]])
})

test('where there was no trouble, nothing is told of its end', () => {
  const { told, spells } = heard()
  spells.ended('the disk')
  spells.came('the disk', new Error('is full'))
  spells.ended('another')
  spells.ended('the disk')
  spells.ended('the disk')
  expect(told).toEqual([['the disk', 'is full'], ['the disk', 1]])
})

test('a trouble that comes back is another', () => {
  const { told, spells } = heard()
  for (const message of ['is full', 'is locked']) {
    spells.came('the disk', new Error(message))
    spells.ended('the disk')
  }
  expect(told).toEqual([['the disk', 'is full'], ['the disk', 1], ['the disk', 'is locked'], ['the disk', 1]])
})
