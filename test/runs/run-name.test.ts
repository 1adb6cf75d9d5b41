import { expect, test } from 'bun:test'
import { runNameOfFile } from '../../src/runs/run-name.ts'

test.each([
  ['sites.csv', 'sites.csv'],
  ['  Q3 sites (final).xlsx ', 'Q3 sites (final).xlsx'],
  ['sites\u202egpj.csv', 'sitesgpj.csv'],
  ['a\u0000b\r\nc.csv', 'abc.csv'],
  ['\u200b', null],
  ['', null],
  ['x'.repeat(300), 'x'.repeat(200)],
  ['𝒳'.repeat(300), '𝒳'.repeat(200)],
])('the run of the file %j is named %j', (file, name) => expect(runNameOfFile(file)).toBe(name))
