import { expect, test } from 'bun:test'
import { soakInterface } from '../../scripts/soak/interface.ts'

test('requests generated from the OpenAPI document, most of them invalid, are answered as documented and never with internal_error', async () => {
  const findings = await soakInterface(1_000)
  // The short form checks no times, because test machines are busy.
  expect(findings.filter(({ pass, figure }) => !pass && !figure.includes(' ms'))).toEqual([])
}, 120_000)
