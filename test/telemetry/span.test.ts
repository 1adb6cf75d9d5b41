import { describe, expect, test } from 'bun:test'
import { parseTraceparent } from '../../src/telemetry/tracing.ts'

const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736'
const parent_id = '00f067aa0ba902b7'

describe('a traceparent', () => {
  test.each([
    ['01', true],
    ['00', false],
    ['03', true],
    ['02', false],
  ])('with the flags %s is sampled: %p', (flags, isSampled) => {
    expect(parseTraceparent(`00-${trace_id}-${parent_id}-${flags}`)).toEqual({ trace_id, parent_id, isSampled })
  })

  test('of a later version may have further parts', () => {
    expect(parseTraceparent(`01-${trace_id}-${parent_id}-01-more`)).toEqual({ trace_id, parent_id, isSampled: true })
  })

  test.each([
    null,
    '',
    'x',
    `00-${trace_id}-${parent_id}`,
    `00-${trace_id}-${parent_id}-01-more`,
    `ff-${trace_id}-${parent_id}-01`,
    `00-${'0'.repeat(32)}-${parent_id}-01`,
    `00-${trace_id}-${'0'.repeat(16)}-01`,
    `00-${trace_id.toUpperCase()}-${parent_id}-01`,
    `00-${trace_id}0-${parent_id}-01`,
    ` 00-${trace_id}-${parent_id}-01`,
    `00-${trace_id}-${parent_id}-01\n`,
    `00-${trace_id}-${parent_id}-1g`,
  ])('that is %j parses to null', (header) => expect(parseTraceparent(header)).toBeNull())
})
