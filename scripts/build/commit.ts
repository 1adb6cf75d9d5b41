import { realpathSync } from 'node:fs'
import { root } from './root.ts'

/** The commit that is built, with `-modified` behind it when files differ from it; `unknown` outside a repository of this project's own. */
export function commitHere(): string {
  const top = git('rev-parse', '--show-toplevel')
  if (top === null || realpathSync(top) !== realpathSync(root)) return 'unknown'
  const commit = git('rev-parse', 'HEAD')
  if (commit === null) return 'unknown'
  return git('status', '--porcelain') === '' ? commit : `${commit}-modified`
}

function git(...words: string[]): string | null {
  try {
    const { exitCode, stdout } = Bun.spawnSync(['git', ...words], { cwd: root, stderr: 'ignore' })
    return exitCode === 0 ? stdout.toString().trim() : null
  } catch {
    return null // there is no git
  }
}
