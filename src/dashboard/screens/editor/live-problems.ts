/**
 * The problems of a draft, shown while typing and at their fields.
 *
 * The server checks, so that the rules are its own. Until the first attempt to save, only fields that the reader has
 * visited show a problem: an empty form is no fault. A draft may lack members: a list beside the form names them, and
 * they are no problems of their fields before the reader tries to publish it.
 */
import type { Documents, Members } from '../../any-documents.ts'
import { isSame } from '../../document-difference.ts'
import { isWithin, namedProblem } from '../../kit/form/control.ts'
import type { Form } from '../../kit/form/form.ts'
import { problemOf, type Problem } from '../../problem-text.ts'
import { debouncedRequest } from '../../timing.ts'
import { fill, h } from '../../kit/dom.ts'

const TYPING_MS = 350

export interface LiveProblemsOptions {
  /** The form, and the text of further members. The first that knows the path shows the problem. */
  readonly fields: readonly Pick<Form, 'showProblems' | 'isTouched' | 'focusProblem'>[]
  /** Undefined while something is no value at all. */
  readonly body: () => Members | undefined
  readonly check: Documents['check']
  /** Of the document, once it is stored. */
  readonly id: () => string | undefined
  readonly isDraft: () => boolean
  /** Hears which members are missing. */
  readonly onMissing: (paths: readonly string[]) => void
  readonly signal: AbortSignal
}

export function liveProblems({ fields, body, check: ask, id, isDraft, onMissing, signal }: LiveProblemsOptions) {
  /** Problems that belong to no field. */
  const element = h('div', { class: 'editor-problems', role: 'alert' })
  let found: readonly Problem[] = []
  let rejection: Problem | undefined
  let wasTried = false
  /** Whether it was tried with all that it lacks. */
  let wantsAll = false
  let shown: readonly Problem[] = []
  let isOld = true

  const check = debouncedRequest(TYPING_MS, signal, async (current) => {
    const given = body()
    if (given === undefined) return
    isOld = false
    try {
      const { problems } = await ask(given, { id: id(), signal: current })
      if (current.aborted) return
      found = problems
      onMissing(problems.filter(isMissing).map(({ path }) => path))
      show()
    } catch {
      // Aborted, or without a response: saving reports it.
    }
  })

  function show(): void {
    const isTouched = ({ path }: Problem): boolean => fields.some((field) => field.isTouched(path))
    const isDue = (one: Problem): boolean => (isMissing(one) && isDraft() ? wantsAll : wasTried || isTouched(one))
    const wanted = [...(rejection === undefined ? [] : [rejection]), ...found.filter(isDue)]
    // What is shown already is not announced again.
    if (isSame(asJson(wanted), asJson(shown))) return
    shown = wanted
    const rest = fields.reduce<readonly Problem[]>((problems, field) => field.showProblems(problems), wanted)
    const lines = [...new Set(rest.map(namedProblem))]
    fill(
      element,
      lines.map((line) => h('p', { class: 'field-problem' }, line)),
    )
  }

  return {
    element,
    begin: check.now,
    /** After a change, at a path. */
    changed(path: string): void {
      if (rejection !== undefined && (rejection.path === '' || isWithin(rejection.path, path))) {
        rejection = undefined
        show()
      }
      isOld = true
      check()
    },
    /** After the reader has gone on to another field. */
    moved(): void {
      show()
      if (isOld) check()
    },
    /** After saving failed, or could not begin; `isPublishing` as something other than a draft. Moves the focus to the first problem. */
    rejected(isPublishing: boolean, error?: unknown): void {
      wasTried = true
      rejection = problemOf(error) ?? (error instanceof Error ? whole(error.message) : undefined)
      wantsAll ||= isPublishing || (rejection !== undefined && isMissing(rejection))
      show()
      fields.some((field) => field.focusProblem())
      check.now()
    },
    saved(): void {
      found = []
      rejection = undefined
      wasTried = false
      wantsAll = false
      show()
      // What was filled in just before is missing no more.
      check.now()
    },
  }
}

/** A member that is not filled in: a draft may lack it. */
function isMissing({ path, code }: Problem): boolean {
  return (code === 'required' || code === 'blank') && !/[.[]/.test(path)
}

/** A problem of the document as a whole. */
function whole(message: string): Problem {
  return { path: '', code: '', params: {}, message }
}

function asJson(problems: readonly Problem[]): readonly Record<string, string>[] {
  return problems.map(({ path, message }) => ({ path, message }))
}
