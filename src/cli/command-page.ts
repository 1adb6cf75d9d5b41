/** A flag of a command: what stands behind it (nothing: it is said or not), what it means, and what holds when it is not given. */
export type CommandOption = {
  valueName?: string
  description: string
  defaultText?: string
  completion?: 'files' | readonly string[]
}

/** All there is to say of a command. Its help, its part of the manual, the shells' completion and the flags it takes are made from it. */
export type CommandPage = {
  /** In the overview, behind the name. */
  summary: string
  /** How it is written, without `fieldstone` before it. */
  usage: readonly string[]
  /** Paragraphs. */
  description: readonly string[]
  /** The words that may come first behind the command. */
  actions?: readonly string[]
  /** How many words it takes at most, its action among them; else none. */
  maxArguments?: number
  options: Readonly<Record<string, CommandOption>>
  /** The variables it reads beside its flags, by name. */
  environment?: readonly string[]
  /** What its exit codes mean here, where more can be said than the overview does. */
  exitCodes?: Readonly<Record<number, string>>
  /** A command line, and what it does. */
  examples: readonly (readonly [line: string, does: string])[]
}
