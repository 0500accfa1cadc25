//! What the memories say: prose, which compresses as prose does. No colon or quote is in it, so that a pgbench
//! script can hold it as it is.

const PROSE: &str = "Prefers the early train to Lyon on weekdays, since the late one was cancelled twice last autumn, \
and would rather wait an hour at the station than change at Dijon. Takes coffee without sugar but with oat milk, \
and asks for the receipt by mail. Her sister Maren is moving to Bergen in March with two children and a piano; \
the movers need the measures of the stairs by the tenth. Works on a survey of moss in wet forests, has samples \
from forty plots, and doubts the numbers of plot nineteen because the label had come off in the rain. Wants short \
answers in the morning and longer ones after dinner. Is learning to sail, passed the theory, and fears the \
harbour exam. Allergic to hazelnuts, not to almonds. The garage opens at seven and keeps the winter tyres until \
April. Last time we spoke about the budget she decided to drop the second microscope and to keep the student \
assistant for six more months. Reads detective novels from Iceland, lends them to her neighbour Tom, and never gets \
them back before the summer. Remind her of the dentist, and of the bulbs that must be in the ground before the frost.";

/// A text of 1 KiB.
pub(crate) fn one_kib() -> String {
    let text: String = PROSE.chars().take(1024).collect();
    assert_eq!(text.len(), 1024, "the prose is long enough, and ASCII");
    text
}
