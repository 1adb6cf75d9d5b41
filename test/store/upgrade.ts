import { Database } from 'bun:sqlite'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stateApplicationId } from '../../src/store/sqlite/migrate.ts'
import { migrations } from '../../src/store/migrations.ts'

/** Writes a `state.db` with an older schema version and some rows. */
export function writeOlderState(folder: string, version: number): string {
  const file = join(folder, 'state.db')
  const db = new Database(file, { create: true })
  db.run('PRAGMA journal_mode = WAL')
  for (const statement of migrations.slice(0, version).flat()) db.run(statement)
  db.run(`PRAGMA user_version = ${version}`)
  db.run(`PRAGMA application_id = ${stateApplicationId}`)
  db.run("INSERT INTO accounts (id, name, created_at) VALUES ('owner', 'owner', 1)")
  const lastFour = version < 8 ? 'last4' : 'last_four'
  for (let i = 0; i < 200; i++)
    db.run(`INSERT INTO tokens (account_id, hash, ${lastFour}, name, scopes, created_at) VALUES (?, ?, ?, ?, ?, ?)`, [
      'owner',
      new Bun.CryptoHasher('sha256').update(String(i)).digest(),
      'abcd',
      'x'.repeat(80),
      'fetch',
      1,
    ])
  db.close()
  return file
}

/** The schema after a kill during an upgrade. */
export type SchemaAfterKill = 'old' | 'new' | 'half'

const calls = ['pwrite64', 'fdatasync', 'fsync', 'ftruncate', 'rename', 'unlink'] as const
const program = `const { openState } = await import(${JSON.stringify(join(import.meta.dir, '../../src/store/sqlite/state-database.ts'))}); openState(process.argv[1]).close()`

/**
 * Upgrades a copy of an older state again and again, killed at another system call that writes each time; with
 * `points`, at this number of them, spread over all. Returns what each kill left. Each state must open afterwards.
 */
export async function killUpgrades(
  points = Infinity,
): Promise<{ left: SchemaAfterKill[]; lost: number; withoutCopy: number }> {
  const root = mkdtempSync(join(tmpdir(), 'fieldstone-upgrade-'))
  const version = 1
  const older = join(root, 'older')
  mkdirSync(older)
  writeOlderState(older, version)
  const kills: { call: string; nth: number }[] = []
  for (const call of calls) {
    const data = join(root, `count-${call}`)
    cpSync(older, data, { recursive: true })
    const log = join(root, `${call}.log`)
    await Bun.spawn(
      ['strace', '-f', '-y', '-e', `trace=${call}`, '-o', log, process.execPath, '--no-env-file', '-e', program, data],
      { stdout: 'ignore', stderr: 'ignore' },
    ).exited
    const lines = (await Bun.file(log).text()).split('\n').filter((line) => line.includes(`${call}(`))
    for (const [i, line] of lines.entries()) if (line.includes(data)) kills.push({ call, nth: i + 1 })
  }
  const step = Math.max(1, kills.length / points)
  const chosen = kills.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step))
  const result = { left: [] as SchemaAfterKill[], lost: 0, withoutCopy: 0 }
  for (const [i, { call, nth }] of chosen.entries()) {
    const data = join(root, `killed-${i}`)
    cpSync(older, data, { recursive: true })
    await Bun.spawn(
      [
        'strace',
        '-f',
        '-e',
        `trace=${call}`,
        '-e',
        `inject=${call}:signal=KILL:when=${nth}`,
        '-o',
        '/dev/null',
        process.execPath,
        '--no-env-file',
        '-e',
        program,
        data,
      ],
      { stdout: 'ignore', stderr: 'ignore' },
    ).exited
    const left = leftIn(data, version)
    result.left.push(left)
    if (left !== 'old' && !isSound(join(data, `state.before-${version}.db`), version)) result.withoutCopy++
    const after = await Bun.spawn([process.execPath, '--no-env-file', '-e', program, data], {
      stdout: 'ignore',
      stderr: 'ignore',
    }).exited
    if (after !== 0 || leftIn(data, version) !== 'new') result.lost++
    rmSync(data, { recursive: true, force: true })
  }
  rmSync(root, { recursive: true, force: true })
  return result
}

function leftIn(data: string, version: number): SchemaAfterKill {
  const file = join(data, 'state.db')
  if (isSound(file, version)) return 'old'
  return isSound(file, migrations.length) ? 'new' : 'half'
}

/** Whether the file passes the integrity check, has exactly the tables of that version, and has all rows. */
function isSound(file: string, version: number): boolean {
  if (!existsSync(file)) return false
  using db = new Database(file)
  const tables = db
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all().length
  const expected = migrations
    .slice(0, version)
    .flat()
    .filter((statement) => statement.startsWith('CREATE TABLE')).length
  const state = [
    db.query<{ integrity_check: string }, []>('PRAGMA integrity_check').get()!.integrity_check,
    db.query<{ user_version: number }, []>('PRAGMA user_version').get()!.user_version,
    tables,
    db.query<{ n: number }, []>('SELECT count(*) AS n FROM tokens').get()!.n,
  ]
  return Bun.deepEquals(state, ['ok', version, expected, 200])
}
