"""What is checked on top of the checks that schemathesis has."""

import re

import schemathesis
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

# What the language of expressions may find wrong with a text of legal length.
EXPRESSION = (
    "ambiguous_name|chained_comparison|function_without_arguments|invalid_character|invalid_number|missing_operand|"
    "missing_parenthesis|no_past|no_window|table_not_ascending|too_deep|too_large|unexpected|unknown_function|"
    "unknown_input|unknown_name|window_outside_function|wrong_arity"
)

# Rules of requests that no schema can say: path and code of their faults.
RULES = [
    # a cursor is a text that only the server can make
    ("query/cursor", "invalid_cursor"),
    # a text has neither NUL nor half a surrogate pair
    (".*", "invalid_text"),
    # a range begins before it ends
    ("query/(start|end|created_after|created_before)", "out_of_range"),
    ("/time_range/start|/widgets/[0-9]+/configuration/min", "invalid_range"),
    # a widget ends within the grid
    ("/widgets/[0-9]+/layout/w", "out_of_range"),
    # an interval is longer than nothing, of one kind of unit, and goes with a range; a zone is one there is
    ("query/interval", "invalid_interval"),
    ("query/(start|end)", "required"),
    ("query/(aggregation|timezone|fill|max_points)", "needs_interval"),
    ("query/timezone", "invalid_timezone"),
    ("query/cursor", "exclusive"),
    # a mark is a text that only the server can make, and is of observations
    ("query/changed_since", "invalid_mark"),
    ("query/(changed_since|interval)", "exclusive"),
    # of these parameters exactly one is given
    ("query/(variable_id|instrument_id|group_id)", "exclusive"),
    # a file is read by its parser, and sent in one of two ways
    ("(/content)?", "column_.*|header_not_found|instrument_invalid|not_delimited_text|too_many_columns"),
    ("/content", "exclusive|required"),
    ("/file_name", "required"),
    ("query/site_id", "site_(not_found|archived)"),
    ("header/Idempotency-Key", "other_file"),
    # names, ids and instants are unique in their list
    ("/data/[0-9]+/ingested_variables/[0-9]+/name", "duplicate_name"),
    ("/configuration/data_layout/variable_mappings/[0-9]+/variable_name", "duplicate_name|out_of_range"),
    ("/widgets/[0-9]+/id|/calculations/[0-9]+(/inputs/[0-9]+)?/id", "duplicate_id"),
    ("/(values|calculations)/[0-9]+/start_time", "duplicate_start_time"),
    # what is named is there, and is what it is taken for
    ("/widgets/[0-9]+/configuration/.+", "not_found"),
    ("/site_id", "site_not_found"),
    ("/calculations/[0-9]+/inputs/[0-9]+/.+_id", "(variable|constant|instrument)_not_found|other_instrument"),
    # texts of a language of their own
    ("/calculations/[0-9]+/expression", EXPRESSION),
    # each input of a calculation is read, and one of its own instrument drives it
    ("/calculations/[0-9]+/inputs(/[0-9]+)?", "unused_input|no_driving_input"),
    ("(/configuration/timestamp)?/timezone|/configuration/timestamp/zones/.*", "invalid_timezone"),
    ("/configuration/timestamp/input_format", "invalid_input_format"),
    ("/configuration/(header/matching|skip_rows_matching/[0-9]+)", "invalid_pattern"),
    # members of a parser's configuration that need or exclude each other
    ("/configuration/.+", "conflict"),
    ("/configuration/(timestamp/zone_column|instrument/(name|name_column))", "required"),
    ("/configuration/first_data_row", "out_of_range"),
]


def is_of_rules(fault):
    return any(re.fullmatch(path, fault["path"]) and re.fullmatch(code, fault["code"]) for path, code in RULES)


@schemathesis.check
class ListsAreReached:
    """That each list was answered once at least: a run with keys that are refused would find nothing."""

    def __init__(self):
        self.tested = set()
        self.reached = set()

    def after_response(self, ctx, response, case):
        label = case.operation.label
        if re.fullmatch(r"GET /dev-api/v1/p/\{project_id\}/(?!observations)[a-z-]+", label):
            self.tested.add(label)
            if response.status_code == 200:
                self.reached.add(label)

    def after_run(self, ctx):
        missed = self.tested - self.reached
        if missed or not self.tested:
            raise AssertionError(f"never answered 200: {', '.join(sorted(missed)) or 'any list'}")


@schemathesis.check
def acceptance_but_for_rules(ctx, response, case):
    """That a request which fits every schema is accepted, unless it breaks such rules alone."""
    if response.status_code == 400:
        error = response.json()["error"]
        faults = error["details"] or [{"path": "", "code": error["code"]}]
        if all(is_of_rules(fault) for fault in faults):
            return None
    return positive_data_acceptance(ctx, response, case)


NAME_CHARACTERS_MAX = 256


def has_padded_name(value):
    """Whether there is a text that is too long for a name only by the blanks around it."""
    if isinstance(value, str):
        return len(value) > NAME_CHARACTERS_MAX >= len(value.strip())
    if isinstance(value, dict):
        return any(has_padded_name(member) for member in value.values())
    return isinstance(value, list) and any(has_padded_name(item) for item in value)


@schemathesis.check
def rejection_but_for_padded_names(ctx, response, case):
    """That a request which violates a schema is refused, unless a name is taken since it is trimmed first."""
    return None if has_padded_name(case.body) else negative_data_rejection(ctx, response, case)
