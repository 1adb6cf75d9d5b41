/** Returns the words of a text, for a list of names that would fill a line each. */
export function words({ raw: [text] }: TemplateStringsArray): string[] {
  return text!.trim().split(/\s+/)
}
