import { realpathSync } from 'node:fs'
import { root } from './root.ts'

/**
 * Returns the current commit, with the suffix `-modified` if files differ from it, or `unknown` outside the repository
 * of this project.
 */
export function currentCommit(): string {
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
    return null // git is not installed
  }
}
