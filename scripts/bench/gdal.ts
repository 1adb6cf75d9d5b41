/**
 * Returns the output of a program.
 *
 * @throws with its error output if it fails.
 */
export async function runProgram(command: string[], input = ''): Promise<string> {
  const child = Bun.spawn(command, { stdin: new Blob([input]), stdout: 'pipe', stderr: 'pipe' })
  const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (child.exitCode !== 0) throw new Error(`${command[0]} ended with ${child.exitCode}: ${errors}`)
  return out
}
