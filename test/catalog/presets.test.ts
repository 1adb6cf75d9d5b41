import { expect, test } from 'bun:test'
import { fields, presets } from '../../catalog/contents.ts'
import publicPresets from '../fixtures/public-presets.json' with { type: 'json' }

const names = new Set(fields.map(({ name }) => name))
const membersMax = 50

test.each(Object.entries(publicPresets))(
  'the preset %s has the members of the public interface',
  (preset, expected) => {
    expect(expected.filter((name) => !names.has(name))).toEqual([])
    expect(presets[preset]?.fields).toEqual(expected.slice(0, membersMax))
    expect(presets[`${preset}_full`]?.fields).toEqual(expected.length > membersMax ? expected : undefined)
  },
)

test('all 15 presets of the public interface exist', () => expect(Object.keys(publicPresets)).toHaveLength(15))
