/**
 * The page around the HTML of a built-in mail. Language and direction are on the inner element too, because webmail keeps
 * only the inside of the body. Colours are names: six digits in a row must be a code.
 */

export interface MailPage {
  /** A BCP 47 tag. */
  readonly language: string
  readonly direction: string
  /** HTML. */
  readonly title: string
  /** In CSS pixels. */
  readonly width: number
}

/** `content` is HTML. */
export function mailPage({ language, direction, title, width }: MailPage, content: string): string {
  const written = `lang="${language}" dir="${direction}"`
  return `<!doctype html>
<html ${written}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="format-detection" content="telephone=no">
<title>${title}</title>
</head>
<body style="margin: 0; padding: 32px 16px;
 font-family: -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; font-size: 16px; line-height: 1.5">
<div ${written} style="max-width: ${width}px; margin: 0 auto; overflow-wrap: anywhere">
${content}
</div>
</body>
</html>
`
}
