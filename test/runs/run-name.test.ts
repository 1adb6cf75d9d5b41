import { expect, test } from 'bun:test'
import { resultFileName, runNameOfFile } from '../../src/runs/run-name.ts'

test.each([
  ['sites.csv', 'sites.csv'],
  ['  Q3 sites (final).xlsx ', 'Q3 sites (final).xlsx'],
  ['sites\u202egpj.csv', 'sitesgpj.csv'],
  ['a\u0000b\r\nc.csv', 'abc.csv'],
  ['\u200b', null],
  ['', null],
  ['x'.repeat(300), 'x'.repeat(200)],
  ['𝒳'.repeat(300), '𝒳'.repeat(200)],
])('the run of the file %j is named %j', (file, name) => {
  expect(runNameOfFile(file)).toBe(name)
})

test.each([
  ['sites.csv', 'sites-results.csv'],
  ['Q3 sites (final).xlsx', 'Q3-sites-final-results.csv'],
  ['Año Nuevo.csv', 'Ano-Nuevo-results.csv'],
  ['v1.2 sites.csv', 'v1.2-sites-results.csv'],
  ['../../etc/passwd', 'etc-passwd-results.csv'],
  ['"; filename="x.exe', 'filename-x-results.csv'],
  ['.csv', 'run_1.csv'],
  ['东京', 'run_1.csv'],
  [null, 'run_1.csv'],
  ['x'.repeat(200), `${'x'.repeat(80)}-results.csv`],
])('the result file of the run %j is %j', (name, file) => {
  expect(resultFileName({ id: 'run_1', name }, 'csv')).toBe(file)
})
