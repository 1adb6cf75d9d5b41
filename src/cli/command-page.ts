/** A flag of a command. A flag without `valueName` takes no value. */
export type CommandOption = {
  valueName?: string
  description: string
  defaultText?: string
  completion?: 'files' | readonly string[]
  /** Whether the value is a comma-separated list of the completions. */
  isList?: true
}

/**
 * The documentation of a command. Its help, its part of the manual, shell completion and flag parsing are derived from
 * it.
 */
export type CommandPage = {
  /** One phrase for the overview, without a full stop. */
  summary: string
  /** The command lines, without the leading `fieldstone`. */
  usage: readonly string[]
  /** Paragraphs. */
  description: readonly string[]
  /** The possible first arguments. */
  actions?: readonly string[]
  /** What a shell completes as the other arguments: names, files, or both. */
  argumentCompletion?: { names?: readonly string[]; files?: true }
  /** The maximum number of arguments, including the action. The default is 0. */
  maxArguments?: number
  options: Readonly<Record<string, CommandOption>>
  /** The environment variables that the command reads. */
  environment?: readonly string[]
  /** Meanings of exit codes that are more specific than the general ones. */
  exitCodes?: Readonly<Record<number, string>>
  /** Command lines, each with what it does. */
  examples: readonly (readonly [line: string, description: string])[]
}
