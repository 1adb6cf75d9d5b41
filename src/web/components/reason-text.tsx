/** A sentence of the service. Commands between backquotes are code, and the paths of guide pages are links. */
export function ReasonText({ text }: { text: string }) {
  return (
    <span>
      {text.split(/(`[^`]+`|\/guide\/[\w#/-]+)/).map((part, i) => {
        if (part.startsWith('`')) return <code key={i}>{part.slice(1, -1)}</code>
        return part.startsWith('/guide/') ? (
          <a key={i} href={part}>
            {part}
          </a>
        ) : (
          part
        )
      })}
    </span>
  )
}
