import { Copy } from './copy.tsx'

/** A text of a program, to read and to copy. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <figure class="code">
      <figcaption>
        <span>{label}</span>
        <Copy text={() => text} />
      </figcaption>
      <pre tabIndex={0} aria-label={label}>
        <code>{text}</code>
      </pre>
    </figure>
  )
}
