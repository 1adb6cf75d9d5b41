import { CopyButton } from './copy-button.tsx'

/** A text of a program, to read and to copy. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <figure class="code">
      <figcaption>
        <span>{label}</span>
        <CopyButton text={() => text} />
      </figcaption>
      <pre tabIndex={0} aria-label={label}>
        <code>{text}</code>
      </pre>
    </figure>
  )
}
