import { expect, test } from 'bun:test'
import { checkAreas } from '../../scripts/soak/area-checks.ts'

test('divided areas add up, damaged geometries are rejected or answered, and profiles are those of GDAL', async () => {
  const findings = await checkAreas({ cases: 60, seed: 20, combVertices: [1_000] })
  expect(findings.filter(({ pass }) => !pass)).toEqual([])
  expect(findings.length).toBeGreaterThanOrEqual(6)
}, 120_000)
